// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization

/// Objects that are expensive to create, kept for the next caller; each serves one caller at a time.
struct IdlePool<Element: Sendable>: ~Copyable, Sendable {
    /// The maximum number of idle objects, each with some hundred bytes; further ones are released.
    private static var mostKept: Int { 64 }

    private let idle = Mutex<[Element]>([])

    /// Calls `body` with an idle object, or a new one.
    ///
    /// - Returns: The result; nil if `create` fails.
    func withElement<Result>(_ create: () -> Element?, _ body: (Element) -> Result) -> Result? {
        guard let element = idle.withLock({ $0.popLast() }) ?? create() else { return nil }
        let result = body(element)
        idle.withLock { if $0.count < Self.mostKept { $0.append(element) } }
        return result
    }
}
#endif
