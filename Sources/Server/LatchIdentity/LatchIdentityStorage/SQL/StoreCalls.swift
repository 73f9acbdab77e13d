// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP
import Synchronization

/// The durations of a store's calls, and the number of devices that they have signed out.
///
/// A duration includes the wait for the writer, the disk or the server.
package final class StoreCalls: Sendable {
    /// The effect of a call.
    package enum Effect: String, CaseIterable {
        case read, write
    }

    private let reads = Mutex(Histogram.ofStoreCalls)
    private let writes = Mutex(Histogram.ofStoreCalls)
    private let signedOut = Atomic(0)

    /// Adds the duration of a call.
    package func add(_ effect: Effect, _ duration: Duration) {
        switch effect {
        case .read: reads.withLock { $0.add(duration) }
        case .write: writes.withLock { $0.add(duration) }
        }
    }

    /// Adds devices that a durable write has signed out.
    func addSignedOut(_ count: Int) { signedOut.add(count, ordering: .relaxed) }

    /// The histograms by the effect of the calls, and the counter.
    package var samples: [MetricSample] {
        let histograms = [(Effect.read, reads.withLock { $0 }), (.write, writes.withLock { $0 })].map {
            effect, histogram in
            MetricSample(.storeSeconds, .histogram(histogram), for: effect.rawValue)
        }
        return histograms + [MetricSample(.familiesRevoked, .counter(signedOut.load(ordering: .relaxed)))]
    }
}

extension IdentityStore {
    /// Runs a call, and counts its duration; for a traced request it also records a span.
    ///
    /// The span has the names of the operation and of the database, but no statements and no values.
    ///
    /// - Parameter operation: The name of the function that calls the store, such as `rotate(_:)`.
    func measured<Result: Sendable>(
        _ operation: String, _ effect: StoreCalls.Effect, _ body: () async throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        let current = CurrentSpan.value
        let (date, start) = (current?.recorder.clock.now, ContinuousClock.now)
        var isFailed = false
        defer {
            let duration = start.duration(to: .now)
            calls.add(effect, duration)
            if let current, let date, current.trace.isSampled {
                current.recorder.record(
                    TelemetrySpan(
                        ofStoreCall: operation, on: backend.dialect, within: current, start: date, duration: duration,
                        isFailed: isFailed))
            }
        }
        do throws(IdentityError) {
            return try await body()
        } catch {
            // An error that only refuses a client is not a failure of the store.
            isFailed = error.isFailureOfServer
            if isFailed { failures.note(error, in: Self.name(of: operation)) }
            throw error
        }
    }
}

extension IdentityStore {
    /// Returns the name of a function without its parameters.
    fileprivate static func name(of function: String) -> String {
        String(decoding: function.utf8.prefix { $0 != 0x28 }, as: UTF8.self)
    }
}

extension TelemetrySpan {
    /// Creates the span of a call of the store, within the span of a request.
    fileprivate init(
        ofStoreCall function: String, on database: SQLDialect, within parent: CurrentSpan, start: Date,
        duration: Duration, isFailed: Bool
    ) {
        let operation = IdentityStore.name(of: function)
        self.init(
            name: "store \(operation)", kind: .client, trace: parent.trace.child(random: parent.recorder.random),
            parentID: parent.trace.spanID, start: start, duration: duration,
            attributes: [
                ("db.system.name", .text(database.systemName)), ("db.operation.name", .text(operation)),
            ], isFailed: isFailed)
    }
}
