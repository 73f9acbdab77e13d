// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCore
import Synchronization

/// The only writer of a store, with group commit.
///
/// A durable commit costs one fsync (some milliseconds), for any number of rows. So the writer takes all waiting jobs,
/// runs each in its own savepoint, commits once, and only then reports the results. A failing job rolls back its
/// savepoint. A failing commit fails all of its jobs.
package final class SQLiteWriter: Sendable {
    /// A job that waits for the next transaction; exactly one of its closures reports a result, once.
    private struct Job: Sendable {
        /// Runs the job and returns its outcome.
        let run: @Sendable (SQLiteConnection) -> Outcome
        /// Reports that the job did not run.
        let reject: @Sendable (IdentityError) -> Void
    }

    /// The outcome of a job, pending until the commit.
    private struct Outcome {
        let failure: IdentityError?
        /// Reports the job's result, or the error of a lost transaction.
        let report: (IdentityError?) -> Void
    }

    /// The state in the mutex, without the connection, which is used only on the queue.
    private struct State {
        var waiting: [Job] = []
        var isDraining = false
        var isClosed = false
        var statistics = WriteStatistics()
    }

    /// The connection, used only on `queue`.
    private let connection: SQLiteConnection
    private let queue = DispatchQueue(label: "latch.store.writer")
    private let state = Mutex(State())
    /// The number of jobs from which writes throw `IdentityError.overloaded`, so that a blocked disk cannot fill
    /// memory.
    private let maximumWaiting: Int
    /// The maximum number of jobs in a commit, which bounds the first job's wait for the last.
    private let maximumBatch: Int

    /// Creates a writer, which owns the connection from now on.
    ///
    /// - Parameter maximumWaiting: The maximum number of waiting jobs.
    package init(_ connection: SQLiteConnection, maximumWaiting: Int = 8192, maximumBatch: Int = 512) {
        self.connection = connection
        _ = connection.hasLostLog()
        self.maximumWaiting = maximumWaiting
        self.maximumBatch = maximumBatch
    }

    /// The statistics of the commits so far.
    package var statistics: WriteStatistics { state.withLock { $0.statistics } }

    /// Runs `body` in the next transaction, and returns when it is durable.
    ///
    /// - Throws: The error of `body` or of the transaction; in both cases nothing of `body` remains.
    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        let result = await withCheckedContinuation { continuation in
            submit(body) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Commits waiting jobs, moves the log into the file, closes it, and rejects later jobs.
    ///
    /// A second call returns immediately, perhaps before the first has finished.
    package func close() async {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        await withCheckedContinuation { continuation in
            queue.async {
                self.drain()
                self.checkpoint()
                self.connection.close()
                continuation.resume()
            }
        }
    }

    /// Queues a job, or rejects it, and starts the queue if it is idle.
    ///
    /// `report` is called on the writer's queue, or on the caller's thread if the job is rejected.
    private func submit<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(IdentityError) -> Result,
        report: @escaping @Sendable (Swift.Result<Result, IdentityError>) -> Void
    ) {
        let run = { @Sendable (connection: SQLiteConnection) -> Outcome in
            let result: Swift.Result<Result, IdentityError>
            do throws(IdentityError) { result = .success(try body(connection)) } catch { result = .failure(error) }
            return Outcome(failure: result.failure) { lost in report(lost.map { .failure($0) } ?? result) }
        }
        let job = Job(run: run, reject: { report(.failure($0)) })
        let (rejection, mustStart) = state.withLock { state -> (IdentityError?, Bool) in
            guard !state.isClosed else { return (.storeClosed, false) }
            guard state.waiting.count < maximumWaiting else { return (.overloaded, false) }
            state.waiting.append(job)
            defer { state.isDraining = true }
            return (nil, !state.isDraining)
        }
        if let rejection { return report(.failure(rejection)) }
        if mustStart { queue.async { self.drain() } }
    }

    /// Commits one batch after another on the queue; jobs that arrive during a commit form the next batch.
    private func drain() {
        while true {
            let batch = state.withLock { state -> [Job] in
                let batch = Array(state.waiting.prefix(maximumBatch))
                state.waiting.removeFirst(batch.count)
                state.isDraining = !batch.isEmpty
                return batch
            }
            guard !batch.isEmpty else { return }
            commit(batch[...])
        }
    }

    /// Moves the log into the file, so that a copy of the file is complete without the log.
    ///
    /// While another process reads, for example for a backup, only a part can be moved. Waiting for it would block all
    /// writers.
    private func checkpoint() {
        do throws(IdentityError) {
            try connection.run("PRAGMA busy_timeout = 0")
            try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch {
            // The log stays and is read at the next start, so nothing is lost.
        }
    }
}

extension SQLiteWriter {
    /// Commits a batch: each job in a savepoint, then the commit, and only then the reports.
    ///
    /// If the process is killed at any point, every reported result is in the file.
    private func commit(_ batch: ArraySlice<Job>) {
        var rest = batch
        var outcomes: [Outcome] = []
        do throws(IdentityError) {
            try connection.run("BEGIN IMMEDIATE")
            // A commit into a replaced file would be durable, acknowledged, and lost.
            guard !connection.hasMoved, !connection.hasLostLog() else { throw IdentityError.storeMoved }
            while let job = rest.first {
                try connection.run("SAVEPOINT job")
                rest.removeFirst()
                let outcome = job.run(connection)
                outcomes.append(outcome)
                try settle(outcome)
            }
            try connection.run("COMMIT")
            connection.noteFile()
            state.withLock { $0.statistics.count(outcomes.count) }
            for outcome in outcomes { outcome.report(nil) }
        } catch {
            abandon(outcomes, because: error, rest: rest)
        }
    }

    /// Releases the savepoint of a job, or rolls it back if the job failed.
    private func settle(_ outcome: Outcome) throws(IdentityError) {
        if let failure = outcome.failure {
            // SQLite rolls back the whole transaction if the disk is full or broken.
            guard connection.isInTransaction else { throw failure }
            try connection.run("ROLLBACK TO job")
        }
        try connection.run("RELEASE job")
    }

    /// Rolls back the transaction, reports the error to its jobs, and continues with the jobs that had not run.
    private func abandon(_ outcomes: [Outcome], because error: IdentityError, rest: ArraySlice<Job>) {
        if connection.isInTransaction {
            do throws(IdentityError) {
                try connection.run("ROLLBACK")
            } catch {
                // The next BEGIN reports the problem of the file.
            }
        }
        if error == .storeMoved { connection.saveLostLog() }
        for outcome in outcomes { outcome.report(error) }
        // If the transaction did not begin, it would not begin now either. After other failures, the remaining jobs are
        // tried.
        if outcomes.isEmpty {
            for job in rest { job.reject(error) }
        } else if !rest.isEmpty {
            commit(rest)
        }
    }
}

extension WriteStatistics {
    /// Adds a commit with a number of jobs.
    fileprivate mutating func count(_ jobs: Int) {
        commits += 1
        self.jobs += jobs
        largestCommit = max(largestCommit, jobs)
    }
}

extension Result {
    /// The error; nil for a success.
    fileprivate var failure: Failure? {
        guard case .failure(let failure) = self else { return nil }
        return failure
    }
}
