import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../python/foible/interfaces/web/page",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the page allows nothing but files of its own server
  },
  server: { proxy: { "/ask": { target: "ws://127.0.0.1:8420", ws: true } } },
});
