"""Tables and figures of a block: from scored verdicts and plans to CSV, HTML and SVG."""
