"""The engine over one tab's CDP session: frames, targets, actionability, input, settling."""

from kapture.page.documents.frame import Frame
from kapture.page.documents.frames import FrameTree
from kapture.page.element import Element, ReadyElement
from kapture.page.input.mouse import Mouse, Point
from kapture.page.page import Page
from kapture.page.settling.outcome import Outcome
from kapture.page.target import Target, TargetSpec

__all__ = ["Element", "Frame", "FrameTree", "Mouse", "Outcome", "Page", "Point", "ReadyElement", "Target", "TargetSpec"]
