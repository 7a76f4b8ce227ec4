// How a game of Go begins: against which net, with which colour, komi and rules.
import { useEffect, useState } from "preact/hooks";

import { useAnswer } from "../connection";
import type { GoGame } from "../go";
import type { GoNetOpened } from "../messages";

const FIRST = "go-7x7";

interface Props {
  /** Whether there is a game already; else one is begun at once. */
  begun: boolean;
  onBegin: (game: GoGame) => void;
}

export function NewGoGame({ begun, onBegin }: Props) {
  const listed = useAnswer({ kind: "go_nets" });
  const nets = listed.reply?.nets ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const name = chosen ?? (nets.includes(FIRST) ? FIRST : nets[0]);
  const opened = useAnswer(name === undefined ? null : { kind: "go_net", net: name });
  const net = opened.reply?.net === name ? opened.reply : null;
  const [person, setPerson] = useState<GoGame["person"]>("black");
  const [rules, setRules] = useState<GoGame["rules"]>("chinese");
  const [komi, setKomi] = useState("");

  const begin = (net: GoNetOpened) =>
    onBegin({
      net: net.net,
      margins: net.margins,
      size: net.size,
      komi: komi === "" ? net.even_komi : Number(komi),
      rules,
      person,
      moves: [],
      remarks: [],
      resigned: null,
    });
  useEffect(() => {
    if (net && !begun) begin(net);
  }, [net, begun]);

  return (
    <form
      class="card"
      aria-label="A new game"
      onSubmit={(event) => {
        event.preventDefault();
        if (net) begin(net);
      }}
    >
      <h2>A new game</h2>
      <div class="row">
        <label>
          against
          <select value={name ?? ""} onChange={(event) => setChosen(event.currentTarget.value)}>
            {nets.map((one) => (
              <option value={one}>{one}</option>
            ))}
          </select>
        </label>
        <label>
          You play
          <select value={person} onChange={(event) => setPerson(event.currentTarget.value as GoGame["person"])}>
            <option value="black">Black</option>
            <option value="white">White</option>
            <option value="both">both sides</option>
          </select>
        </label>
        <label>
          komi
          <input
            type="number"
            step={0.5}
            min={-400}
            max={400}
            value={komi}
            placeholder={net ? `${net.even_komi}: even` : ""}
            onInput={(event) => setKomi(event.currentTarget.value)}
          />
        </label>
        <label>
          rules
          <select value={rules} onChange={(event) => setRules(event.currentTarget.value as GoGame["rules"])}>
            <option value="chinese">Chinese</option>
            <option value="tromp-taylor">Tromp–Taylor (suicide allowed)</option>
          </select>
        </label>
        <button type="submit" class="main" disabled={!net}>
          Begin
        </button>
      </div>
      <p class="soft">
        Nets of your own: runs of <code>foible go train</code> in the folder of <code>--runs</code>, and files in folders that{" "}
        <code>FOIBLE_NETS</code> names.
      </p>
      <span role="status">{!net && !opened.error && `Opening ${name ?? "nets"} …`}</span>
      <span class="error" role="alert">
        {listed.error ?? opened.error}
      </span>
    </form>
  );
}
