"""Reviews: questions to the server about tokens, people and rights. What is created is the answer; nothing is stored.

Until rights are kept (RBAC), everybody who can say who he is may do everything, and that is what is answered. Pure but
for `ReviewDesk`, which looks up what a token names.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from msgspec.structs import replace

from apiserver.auth.identity import ANONYMOUS, Caller
from apiserver.auth.tokens import InvalidToken, Tokens
from apiserver.registry import reviewrules
from steersman.api import errors, times
from steersman.api.authentication import (
    SelfSubjectReview,
    SelfSubjectReviewStatus,
    TokenReview,
    TokenReviewStatus,
    UserInfo,
)
from steersman.api.authorization import (
    LocalSubjectAccessReview,
    NonResourceRule,
    ResourceRule,
    SelfSubjectAccessReview,
    SelfSubjectRulesReview,
    SelfSubjectRulesReviewSpec,
    SubjectAccessReview,
    SubjectAccessReviewStatus,
    SubjectRulesReviewStatus,
)
from steersman.api.errors import BadRequest, Cause, Subject
from steersman.api.meta import Object, ObjectMeta
from steersman.base.clock import Clock

_SUBJECT: Final = Subject("authorization.k8s.io", "", "")
"""Kubernetes does not name the kind in refusals of these."""
_EVERYTHING: Final = ("*",)

Answer = Callable[[Any, Caller], Awaitable[Object]]


class ReviewDesk:
    """Answers reviews. Without `tokens` no token is known."""

    def __init__(self, tokens: Tokens | None, clock: Clock) -> None:
        self._tokens = tokens
        self._clock = clock
        self._answers: dict[type[Object], Answer] = {
            LocalSubjectAccessReview: self._local_access,
            SelfSubjectAccessReview: self._own_access,
            SelfSubjectReview: self._self,
            SelfSubjectRulesReview: self._own_rules,
            SubjectAccessReview: self._access,
            TokenReview: self._token,
        }

    def answers(self, struct: type[Object]) -> bool:
        return struct in self._answers

    async def answer(self, review: Object, caller: Caller) -> Object:
        """The review with its answer."""
        return await self._answers[type(review)](review, caller)

    async def _own_access(self, review: SelfSubjectAccessReview, caller: Caller) -> Object:
        _complain(reviewrules.validate_own_access(review))
        return replace(review, status=_verdict(caller.user, caller.groups))

    async def _access(self, review: SubjectAccessReview, _: Caller) -> Object:
        _complain(reviewrules.validate_access(review))
        return replace(review, status=_verdict(review.spec.user, review.spec.groups))

    async def _local_access(self, review: LocalSubjectAccessReview, _: Caller) -> Object:
        _complain(reviewrules.validate_local_access(review))
        return replace(review, status=_verdict(review.spec.user, review.spec.groups))

    async def _own_rules(self, review: SelfSubjectRulesReview, caller: Caller) -> Object:
        if not review.spec.namespace:
            raise BadRequest("no namespace on request")
        rules = SubjectRulesReviewStatus()
        if _may_do_everything(caller.user, caller.groups):
            resources = ResourceRule(verbs=_EVERYTHING, api_groups=_EVERYTHING, resources=_EVERYTHING)
            others = NonResourceRule(verbs=_EVERYTHING, non_resource_urls=_EVERYTHING)
            rules = SubjectRulesReviewStatus(resource_rules=(resources,), non_resource_rules=(others,))
        return replace(review, metadata=ObjectMeta(), spec=SelfSubjectRulesReviewSpec(), status=rules)

    async def _self(self, review: SelfSubjectReview, caller: Caller) -> Object:
        metadata = ObjectMeta(creation_timestamp=times.from_datetime(self._clock.now()))
        return replace(review, metadata=metadata, status=SelfSubjectReviewStatus(user_info=_told(caller)))

    async def _token(self, review: TokenReview, _: Caller) -> Object:
        if not review.spec.token:
            raise BadRequest("token is required for TokenReview in authentication")
        if self._tokens is None:
            return replace(review, status=TokenReviewStatus())
        try:
            holder, audiences = await self._tokens.review(review.spec.token, review.spec.audiences)
        except InvalidToken as problem:
            return replace(review, status=TokenReviewStatus(error=f"[invalid bearer token, {problem}]"))
        return replace(
            review, status=TokenReviewStatus(authenticated=True, user=_told(holder), audiences=tuple(audiences))
        )


def _may_do_everything(user: str, groups: Sequence[str]) -> bool:
    """Everybody but those who cannot say who they are, whom the fronts turn away."""
    return user != ANONYMOUS.user and not set(groups).intersection(ANONYMOUS.groups)


def _verdict(user: str, groups: Sequence[str]) -> SubjectAccessReviewStatus:
    if _may_do_everything(user, groups):
        return SubjectAccessReviewStatus(allowed=True)
    return SubjectAccessReviewStatus(allowed=False, reason="requests without a name are not served")


def _told(caller: Caller) -> UserInfo:
    return UserInfo(username=caller.user, uid=caller.uid, groups=caller.groups, extra=dict(caller.extra))


def _complain(causes: Sequence[Cause]) -> None:
    if causes:
        raise errors.invalid(_SUBJECT, "", causes)
