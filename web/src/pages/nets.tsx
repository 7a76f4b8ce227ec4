// The nets that can be named: what they are, where they come from, and fetching those that are not here yet.
import { useState } from "preact/hooks";

import { useAnswer } from "../connection";
import type { NetListed } from "../messages";
import { bytes } from "../words";
import { Facts } from "./run-matches";

const WHERE: Record<NetListed["kind"], string> = {
  "built-in": "built in",
  folder: "in a folder of yours",
  shipped: "comes with foible",
  download: "public",
  "by hand": "public, by hand",
};

export function Nets() {
  const { reply, error } = useAnswer({ kind: "list_nets" });
  const [looked, setLooked] = useState<string | null>(null);
  if (error) return <p class="error">{error}</p>;
  if (!reply) return <p class="soft">looking …</p>;
  return (
    <>
      <h1>Nets</h1>
      <p class="soft">
        Every name that works here. Folders of your own go into FOIBLE_NETS. Nothing is fetched before you ask for it.
      </p>
      <div class="card scroll" role="region" aria-label="All nets" tabIndex={0}>
        <table class="sentences">
          <thead>
            <tr>
              <th scope="col">net</th>
              <th scope="col" class="left">
                here
              </th>
              <th scope="col" class="size">
                size
              </th>
              <th scope="col" class="left below">
                from
              </th>
              <th scope="col" class="left below">
                what it is
              </th>
            </tr>
          </thead>
          <tbody>
            {reply.nets.map((one) => (
              <Row key={one.name} net={one} open={one.name === looked} onOpen={() => setLooked(one.name === looked ? null : one.name)} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Row({ net, open, onOpen }: { net: NetListed; open: boolean; onOpen: () => void }) {
  return (
    <>
      <tr>
        <th scope="row">
          <button type="button" aria-expanded={open} onClick={onOpen}>
            {net.name}
          </button>
        </th>
        <td class="left">{net.here ? "yes" : "no"}</td>
        <td class="size">{net.size === null ? "–" : bytes(net.size)}</td>
        <td class="left below">{WHERE[net.kind]}</td>
        <td class="words below">{net.about}</td>
      </tr>
      {open && (
        <tr>
          <td colSpan={5} class="below">
            <Details net={net} />
          </td>
        </tr>
      )}
    </>
  );
}

function Details({ net }: { net: NetListed }) {
  return (
    <section class="inside" aria-label={net.name}>
      {net.licence && <p>Licence: {net.licence}</p>}
      {net.source && <p class="wrap">Source: {net.source}</p>}
      {net.here ? <Described name={net.name} /> : <Fetch net={net} />}
    </section>
  );
}

function Described({ name }: { name: string }) {
  const { reply, error } = useAnswer({ kind: "show_net", name });
  if (error) return <p class="error">{error}</p>;
  if (!reply) return <p class="soft">reading the file …</p>;
  return <Facts facts={Object.entries(reply.facts)} />;
}

/** The licence stands above the button. */
function Fetch({ net }: { net: NetListed }) {
  const [attempt, setAttempt] = useState(0);
  const [asked, setAsked] = useState(false);
  const { reply, error, done } = useAnswer(asked ? { kind: "fetch_net", name: net.name } : null, { attempt, again: false });
  const fetch = () => {
    setAsked(true);
    setAttempt(attempt + 1);
  };
  const size = net.size === null ? "" : ` (${bytes(net.size)})`;
  return (
    <>
      {error && (
        <p class="error wrap" role="alert">
          {error}
        </p>
      )}
      {asked && !done ? (
        <p class="row">
          <progress max={net.size ?? undefined} value={reply?.done ?? 0} aria-label={`Fetching ${net.name}`} />
          <span role="status">{`${bytes(reply?.done ?? 0)} so far`}</span>
          <button type="button" onClick={() => setAsked(false)}>
            Cancel
          </button>
        </p>
      ) : (
        <p>
          <button type="button" class="main" onClick={fetch}>
            {net.kind === "by hand" ? "How to get it" : `Fetch it under this licence${size}`}
          </button>
        </p>
      )}
    </>
  );
}
