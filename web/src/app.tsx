// The pages, by the part of the address behind "#/", and what stands above all of them.
import { Component, type ComponentChildren, type ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

import { useLost } from "./connection";
import { Explain } from "./pages/explain";
import { Go } from "./pages/go";
import { Nets } from "./pages/nets";
import { Play } from "./pages/play";
import { Prepare } from "./pages/prepare";
import { Runs } from "./pages/runs";
import { Train } from "./pages/train";

interface Place {
  path: string;
  title: string;
  page: ComponentType<{ query: URLSearchParams }>;
}

const PLACES: Place[] = [
  { path: "play", title: "Play", page: Play },
  { path: "explain", title: "Explain", page: Explain },
  { path: "prepare", title: "Prepare", page: Prepare },
  { path: "train", title: "Train", page: Train },
  { path: "go", title: "Go", page: Go },
  { path: "runs", title: "Runs", page: Runs },
  { path: "nets", title: "Nets", page: Nets },
];

/** The part of the address behind "#", and how often somebody has gone to another: what a page writes there does not count. */
function useHash(): { hash: string; times: number } {
  const [found, setFound] = useState({ hash: location.hash, times: 0 });
  useEffect(() => {
    const changed = () => setFound(({ times }) => ({ hash: location.hash, times: times + 1 }));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return found;
}

export function App() {
  const { hash, times } = useHash();
  const [path, query] = hash.replace(/^#\/?/, "").split("?", 2);
  const place = PLACES.find((one) => one.path === path) ?? PLACES[0]!;
  const lost = useLost();
  useEffect(() => {
    document.title = `${place.title} · foible`;
  }, [place]);
  return (
    <>
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <header>
        <span class="name">foible</span>
        <nav aria-label="Pages">
          {PLACES.map(({ path, title }) => (
            <a href={`#/${path}`} aria-current={path === place.path ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <span class="connection" role="status">
          {lost ? "no connection: trying again …" : ""}
        </span>
      </header>
      <main id="main" tabIndex={-1}>
        <Boundary key={times}>
          <place.page query={new URLSearchParams(query ?? "")} />
        </Boundary>
      </main>
    </>
  );
}

/** Where a page goes wrong it says so, and the others are still there. */
class Boundary extends Component<{ children: ComponentChildren }, { error: string }> {
  state = { error: "" };

  static getDerivedStateFromError(error: Error) {
    return { error: error.message };
  }

  render() {
    if (!this.state.error) return this.props.children;
    return <p class="error" role="alert">{`This page went wrong: ${this.state.error}. Reload it, or choose another.`}</p>;
  }
}

function focusMain(event: Event) {
  event.preventDefault(); // the part behind "#" is the page
  document.getElementById("main")?.focus();
}
