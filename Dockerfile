# foible on the processor: docker build -t foible . && docker run --rm -i foible uci
# The extras decide the size: as it stands it holds the small core; with --build-arg EXTRAS=all it is more than twice as large,
# faster, analyses and serves the page; with EXTRAS=all,train it holds PyTorch too, which docker run --gpus all uses through CUDA.

FROM node:22-slim AS page
WORKDIR /foible/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --silent --no-audit --no-fund
COPY web ./
RUN npm run --silent build

FROM rust:1-slim-bookworm AS wheel
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /tools && /tools/bin/pip install --quiet 'maturin>=1.9,<2'
WORKDIR /foible
COPY pyproject.toml README.md LICENSE ./
COPY core core
COPY python python
COPY --from=page /foible/python/foible/interfaces/web/page python/foible/interfaces/web/page
RUN /tools/bin/maturin build --release --locked --out /dist

FROM python:3.13-slim-bookworm
ARG EXTRAS=zstd
RUN --mount=type=bind,from=wheel,source=/dist,target=/dist pip install --quiet --no-cache-dir "$(echo /dist/*.whl)[$EXTRAS]"
RUN useradd --create-home foible
USER foible
WORKDIR /home/foible
ENTRYPOINT ["foible"]
CMD ["doctor"]
