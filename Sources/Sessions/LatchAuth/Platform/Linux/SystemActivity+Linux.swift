// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
/// A period in which the system does not suspend the program; it is empty, because Linux does not suspend programs.
struct SystemActivity: Sendable {
    init?(onExpiry: @escaping @Sendable () async -> Void) { return nil }

    func end() {}
}

extension LifecycleEvent {
    /// Nil: Linux has no such events.
    static var systemEvents: AsyncStream<LifecycleEvent>? { nil }
}
#endif
