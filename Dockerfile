# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# docker build -t parity .
# docker run --rm parity run golden/data/m3-text-bf16
# docker run --rm -v "$PWD:/work" -w /work parity run golden/data/m3-text-bf16 --candidate capture:mine.h5
FROM debian:12 AS build
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
WORKDIR /parity
COPY ci/setup.sh ci/setup.sh
RUN ci/setup.sh package
COPY . .
RUN cmake --preset release -D PARITY_BUILD_TESTS=OFF -D PARITY_BUILD_BENCHES=OFF -D PARITY_TORCH=OFF \
    && cmake --build --preset release \
    && cpack -G DEB --config build/release/CPackConfig.cmake -B /packages

FROM debian:12-slim
COPY --from=build /packages/*.deb /packages/
# The slim image tells dpkg to leave out documents and manual pages; ours are read inside of the container.
RUN rm -f /etc/dpkg/dpkg.cfg.d/docker \
    && apt-get update \
    && apt-get install -y --no-install-recommends /packages/*.deb \
    && rm -rf /packages /var/lib/apt/lists/*
ENTRYPOINT ["parity"]
CMD ["--help"]
