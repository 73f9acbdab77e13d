// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// An action that shows the pending step-up again, after the user has dismissed it and a request needs it.
///
/// ``ScreenForm`` calls it for each request that fails for want of a recent authentication; an app calls it after its own.
public struct RaiseStepUpAction: Sendable {
    private let action: @MainActor @Sendable () -> Void

    /// Creates an action.
    public init(_ action: @escaping @MainActor @Sendable () -> Void) { self.action = action }

    /// Shows the step-up.
    @MainActor
    public func callAsFunction() { action() }
}

private struct RaiseStepUpKey: EnvironmentKey {
    static let defaultValue = RaiseStepUpAction {}
}

extension EnvironmentValues {
    /// The action that shows the pending step-up again, which `stepUpSheet` sets.
    public var raiseStepUp: RaiseStepUpAction {
        get { self[RaiseStepUpKey.self] }
        set { self[RaiseStepUpKey.self] = newValue }
    }
}
#endif
