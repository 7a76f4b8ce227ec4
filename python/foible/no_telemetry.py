"""Imported before all else of foible: no runtime tells anybody that it is used, as some do when they are loaded."""

import os
import sys

# ONNX Runtime else keeps a number for this machine and a data base of events in the home folder, and asks for its
# vendor's host. Native code reads the variable; what foible starts inherits it.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

# OpenVINO does without this package where it cannot be imported, and else sends from a process of its own.
sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
