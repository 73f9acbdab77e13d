// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
/// A period in which the system does not suspend the program; none here, since it suspends none of its own accord.
struct SystemActivity: Sendable {
    init?(onExpiry: @escaping @Sendable () async -> Void) { return nil }

    func end() {}
}

extension LifecycleEvent {
    /// Nil: there are no such events.
    static var systemEvents: AsyncStream<LifecycleEvent>? { nil }
}
#endif
