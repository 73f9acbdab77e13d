// SPDX-License-Identifier: Apache-2.0

public import LatchUI

/// The scopes that a user selects on a screen, in groups that can be collapsed.
public typealias ScopeSelection = ScopeChoice<OAuthScope>

extension OAuthScope: SelectableScope {}
