# Probatio with all it can do but the browser: trials, studies, the daily watch and the site, as a user without rights.
#
#   docker build -t probatio .
#   docker run --rm -it -v "$PWD:/work" --security-opt seccomp=unconfined --security-opt apparmor=unconfined \
#              --security-opt systempaths=unconfined probatio doctor
#
# The three options let bubblewrap build its jail inside the container; docs/deploy.md says what each allows, and what
# happens without them. compose.yml runs the watch and the site.
ARG BASE=python:3.12-slim

FROM ${BASE} AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE CITATION.cff CHANGELOG.md Dockerfile compose.yml constraints.txt ./
COPY src src
COPY docs docs
RUN python3 -m venv /opt/probatio \
    && /opt/probatio/bin/pip install --no-cache-dir -c constraints.txt ".[embedded,site,watch,charts,kcl]"

FROM ${BASE}
# 10001: a number of its own, so that it is nobody of the host
RUN useradd --uid 10001 --create-home probatio && mkdir -p /work/results /home/probatio/.cache/probatio \
    && chown -R probatio /work /home/probatio
COPY --from=build /opt/probatio /opt/probatio
ENV PATH=/opt/probatio/bin:$PATH PYTHONUNBUFFERED=1
USER probatio
WORKDIR /work
# config/models.yml and .env are read from here; results/ is what must last. No VOLUME: it would hide the results of a folder
# that is mounted at /work.
EXPOSE 8000
ENTRYPOINT ["probatio"]
CMD ["--help"]
