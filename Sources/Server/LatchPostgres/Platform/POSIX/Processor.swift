// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The processor that runs the calling thread.
enum Processor {
    /// Lets the threads that wait for this processor run first; returns immediately if there are none.
    static func yield() { sched_yield() }
}
