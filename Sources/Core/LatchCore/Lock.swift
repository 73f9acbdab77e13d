// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The one lock type of this package: a value that is reached only while the lock is held.
///
/// It exists so that what implements it can be exchanged in one place (the thread sanitizer does not understand
/// every lock). Never hold it across an `await`; the closure is synchronous so that the compiler sees to that.
public struct Lock<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>

    /// A lock around `value`.
    @inlinable
    public init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with exclusive access to the value; taking the same lock again inside it never returns.
    ///
    /// It is inlined, since calling it as generic code costs more than the lock itself.
    @inlinable
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }
}
