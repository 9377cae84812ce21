"""Reports of tables and charts, as HTML, Markdown, CSV, SVG and PNG."""
