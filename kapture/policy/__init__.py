"""Decisions on what may happen: grants, the policy file, approvals, the audit log."""

from kapture.policy.grant import Grant, site_of
from kapture.policy.policy import Ask, Decision, Policy, Request
from kapture.policy.policy_file import PolicyFileError

__all__ = ["Ask", "Decision", "Grant", "Policy", "PolicyFileError", "Request", "site_of"]
