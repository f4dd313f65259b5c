"""Images and PDF pages as a model may be shown them: verified, scaled and re-encoded by a process of their own.

Decoders are large C libraries, and what they are given comes from anywhere: whatever a damaged or hostile file does to
them must not touch the kernel. So this package has two halves: ``child`` runs in the other process and imports Pillow
and PDFium; everything else runs here and imports neither.
"""
