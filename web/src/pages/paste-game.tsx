// A game or a position, pasted or typed.
import { useRef, useState } from "preact/hooks";

import { command } from "../connection";
import type { Game } from "../messages";

const EXAMPLE = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. Ng5 Bc5 5. Nxf7 Bxf2+ 6. Kf1 Qe7 7. Nxh8 d5 8. exd5 Nd4";

export function PasteGame({ onGame }: { onGame: (game: Game) => void }) {
  const [text, setText] = useState("");
  const [error, setError] = useState("");
  const newest = useRef("");
  const read = async (pasted: string) => {
    newest.current = pasted;
    try {
      const game = await command({ kind: "read_game", text: pasted });
      if (newest.current !== pasted) return; // something else was pasted meanwhile
      onGame(game);
      setError("");
    } catch (failure) {
      if (newest.current === pasted) setError((failure as Error).message);
    }
  };
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void read(text);
      }}
    >
      <label for="pasted">A game (PGN, or its moves: e4 e5 or e2e4 e7e5) or a position (FEN)</label>
      <textarea
        id="pasted"
        rows={4}
        value={text}
        placeholder={EXAMPLE}
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
        onPaste={(event) => void read(event.clipboardData?.getData("text") ?? "")}
      />
      <div class="row">
        <button type="submit" class="main" disabled={!text.trim()}>
          Show
        </button>
        <button
          type="button"
          onClick={() => {
            setText(EXAMPLE);
            void read(EXAMPLE);
          }}
        >
          An example
        </button>
        <span class="error" role="alert">
          {error}
        </span>
      </div>
    </form>
  );
}
