"""Deployments: pods of one template, replaced step by step when the template changes."""
