// The WebSocket of this page. A question is answered by a stream of replies; see protocol.py.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import type { AnyQuestion, Answers } from "./messages";

type Kind = AnyQuestion["kind"];
export type Asked<K extends Kind> = Extract<AnyQuestion, { kind: K }>;

type FromServer =
  | { is: "answer"; id: number; reply: unknown }
  | { is: "done"; id: number }
  | { is: "failed"; id: number | null; error: string };

interface Open {
  question: AnyQuestion;
  /** Asked anew after the connection was lost. What changes something is not: it may have been done. */
  again: boolean;
  /** It is asked anew: all is replied once more. */
  onAgain?: () => void;
  onReply: (reply: unknown) => void;
  onEnd: (error: string | null) => void;
}

const RETRY_MILLISECONDS = 500;
const LOST = "the connection to foible was lost";

class Connection {
  private socket: WebSocket | null = null;
  private readonly open = new Map<number, Open>();
  private readonly listeners = new Set<() => void>();
  private last = 0;
  /** Whether questions can be sent. */
  private up = false;
  /** Whether the server is not there; before the first attempt has ended nobody knows. */
  lost = false;

  constructor() {
    this.connect();
  }

  /** Ask; the function that comes back ends the question. */
  ask(one: Open): () => void {
    const id = ++this.last;
    this.open.set(id, one);
    if (this.up) this.send(id, one);
    return () => {
      if (this.open.delete(id) && this.up) this.socket?.send(JSON.stringify({ do: "stop", id }));
    };
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private send(id: number, { question }: Open): void {
    this.socket?.send(JSON.stringify({ do: "ask", id, question }));
  }

  private connect(): void {
    const address = new URL("ask", location.href.replace(/[?#].*/, ""));
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.onopen = () => {
      this.up = true;
      this.lost = false;
      for (const [id, one] of this.open) {
        one.onAgain?.();
        this.send(id, one);
      }
      this.tell();
    };
    socket.onmessage = (event) => this.take(JSON.parse(event.data as string) as FromServer);
    socket.onclose = () => {
      this.up = false;
      this.lost = true;
      for (const [id, one] of [...this.open]) if (!one.again) this.end(id, LOST);
      this.tell();
      setTimeout(() => this.connect(), RETRY_MILLISECONDS);
    };
  }

  private take(message: FromServer): void {
    switch (message.is) {
      case "answer":
        this.open.get(message.id)?.onReply(message.reply);
        break;
      case "done":
        this.end(message.id, null);
        break;
      case "failed":
        if (message.id === null) console.error(message.error);
        else this.end(message.id, message.error);
    }
  }

  private end(id: number, error: string | null): void {
    const one = this.open.get(id);
    this.open.delete(id);
    one?.onEnd(error);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

const connection = new Connection();

/** Whether the server is not there. */
export function useLost(): boolean {
  const [lost, setLost] = useState(connection.lost);
  useEffect(() => {
    setLost(connection.lost); // it may have changed since
    return connection.onChange(() => setLost(connection.lost));
  }, []);
  return lost;
}

export interface Answered<K extends Kind> {
  /** All replies so far, the newest last; none of another question. */
  replies: Answers[K][];
  done: boolean;
  error: string | null;
}

interface Asking {
  /** Asked anew where this changes, though the question is the same. */
  attempt?: number;
  /** Of streams without end so many replies are kept, the newest. */
  most?: number;
  /** False where it changes something: it is not asked anew when the connection was lost. */
  again?: boolean;
}

const NOTHING = { replies: [], done: false, error: null };

interface AnsweredTo<K extends Kind> extends Answered<K> {
  /** The question, and which attempt. */
  asked: string;
}

/** What is replied to a question, as it comes; asked anew when the question changes, and ended with the component. */
export function useAnswers<K extends Kind>(
  question: Asked<K> | null,
  { attempt = 0, most = Infinity, again = true }: Asking = {},
): Answered<K> {
  const asked = JSON.stringify([question, attempt]);
  const nothing: AnsweredTo<K> = { ...NOTHING, asked };
  const [answered, setAnswered] = useState(nothing);
  useEffect(() => {
    setAnswered(nothing);
    if (question === null) return;
    return connection.ask({
      question,
      again,
      onAgain: () => setAnswered(nothing),
      onReply: (reply) => setAnswered((now) => ({ ...now, replies: [...now.replies, reply as Answers[K]].slice(-most) })),
      onEnd: (error) => setAnswered((now) => ({ ...now, done: true, error })),
    });
  }, [asked]);
  return answered.asked === asked ? answered : nothing; // the effect comes after the first picture
}

/** The newest reply to a question. */
export function useAnswer<K extends Kind>(
  question: Asked<K> | null,
  asking: Omit<Asking, "most"> = {},
): Omit<Answered<K>, "replies"> & { reply: Answers[K] | null } {
  const { replies, ...rest } = useAnswers(question, { ...asking, most: 1 });
  return { ...rest, reply: replies.at(-1) ?? null };
}

/** Ask once for something that changes something, or is needed once: its one reply. */
export function command<K extends Kind>(question: Asked<K>): Promise<Answers[K]> {
  return new Promise((resolve, reject) => {
    let found: Answers[K] | undefined;
    connection.ask({
      question,
      again: false,
      onReply: (reply) => (found = reply as Answers[K]),
      onEnd: (error) => (error === null && found !== undefined ? resolve(found) : reject(new Error(error ?? "no answer"))),
    });
  });
}

/** What a person makes happen by a click or a move, one thing at a time: a second click meanwhile does nothing.
 *
 * A board shows a move before the server has accepted it. So nothing is drawn anew while a command goes on, and
 * everything is when it fails or was not taken: then the board shows the position as it is.
 *
 * `shown`: what the server says of the state that commands change. Where that comes anew before the command's own
 * answer, the person sees that it was carried out, and may go on.
 */
export function useCommands(shown?: unknown) {
  const [failure, setFailure] = useState({ error: "" });
  const going = useRef<object | null>(null);
  const here = useRef(true);
  useEffect(() => () => void (here.current = false), []);
  useLayoutEffect(() => void (going.current = null), [shown]); // as soon as it is seen
  const forget = () => setFailure((now) => (now.error ? { error: "" } : now));
  /** `then` is told what came of it, unless the person has left. */
  const run = async <T>(what: () => Promise<T>, then: (found: T) => void = () => undefined): Promise<void> => {
    if (going.current) return setFailure((now) => ({ ...now }));
    const mine = (going.current = {});
    try {
      const found = await what();
      forget();
      if (here.current) then(found);
    } catch (failure) {
      setFailure({ error: (failure as Error).message });
    } finally {
      if (going.current === mine) going.current = null;
    }
  };
  return { run, error: failure.error, forget };
}
