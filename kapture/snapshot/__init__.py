"""Converts the agent's trees of a page's frames to text for models (outline, TOON, JSON) and to differences."""

from kapture.snapshot.node import Node
from kapture.snapshot.options import Options, Position
from kapture.snapshot.take import take, take_part
from kapture.snapshot.tree import FrameView, Tree

__all__ = ["FrameView", "Node", "Options", "Position", "Tree", "take", "take_part"]
