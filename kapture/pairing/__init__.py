"""Authentication for the hub: the key file, the mutual proof, client tokens, the native messaging host."""

from kapture.pairing.key_file import KeyFile
from kapture.pairing.pairing import Pairing
from kapture.pairing.proof import PROOF_DEADLINE_MS, HubProof, TabProof

__all__ = ["PROOF_DEADLINE_MS", "HubProof", "KeyFile", "Pairing", "TabProof"]
