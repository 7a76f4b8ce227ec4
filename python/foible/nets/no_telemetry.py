"""Imported before OpenVINO, which otherwise tells Google that it was, from a process of its own."""

import sys

sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
