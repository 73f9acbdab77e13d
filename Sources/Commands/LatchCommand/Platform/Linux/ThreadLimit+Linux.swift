// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Glibc

/// Whether this process may start the given number of additional threads.
///
/// At the limit of a user or a container, libdispatch would wait for a thread forever.
func canStartThreads(_ count: Int) -> Bool {
    let gate = DispatchSemaphore(value: 0)
    let pointer = Unmanaged.passUnretained(gate).toOpaque()
    var threads: [pthread_t] = []
    while threads.count < count {
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { gate in
                if let gate { Unmanaged<DispatchSemaphore>.fromOpaque(gate).takeUnretainedValue().wait() }
                return nil
            }, pointer)
        guard code == 0 else { break }
        threads.append(thread)
    }
    for _ in threads { gate.signal() }
    for thread in threads { pthread_join(thread, nil) }
    return threads.count == count
}
#endif
