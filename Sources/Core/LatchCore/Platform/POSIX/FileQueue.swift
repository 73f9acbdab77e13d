// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Where the calls of one open file run, one after the other, on a thread that may block.
///
/// The threads that all tasks share are as few as the processors, so a slow disk or a network file system that does not
/// answer would stop everything else if its calls were made there.
final class FileQueue: SerialExecutor {
    /// Dispatch brings a thread for each queue that has work, and takes it back.
    private let queue = DispatchQueue(label: "latch.file")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
}
