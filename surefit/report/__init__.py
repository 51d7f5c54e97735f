"""Reports: a comparison as one self-contained HTML page."""

from __future__ import annotations

from surefit.report.page import html_report, write_report

__all__ = ["html_report", "write_report"]
