"""The agent's trees of a page's frames → text for models: outline, TOON, JSON; and what changed since the last one."""

from kapture.snapshot.node import Node
from kapture.snapshot.options import Options, Position
from kapture.snapshot.take import take, take_part
from kapture.snapshot.tree import FrameView, Tree

__all__ = ["FrameView", "Node", "Options", "Position", "Tree", "take", "take_part"]
