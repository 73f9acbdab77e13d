// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
package import LatchHTTP
package import LatchIdentityStorage
import Synchronization

/// An exporter of spans and metrics to a collector, by OTLP over HTTP in JSON.
///
/// Recording a span appends it to a bounded queue and never waits: spans beyond the bound are dropped and counted.
/// Separate tasks send the requests, one at a time for each signal, and repeat them as the protocol requires.
package final class TelemetryExporter: SpanRecorder {
    /// The counts of the spans so far.
    struct Statistics: Sendable, Hashable {
        var exported = 0
        /// The spans for which the queue had no room.
        var dropped = 0
        /// The spans that the collector rejected, or that could not be delivered.
        var failed = 0
    }

    /// The kinds of exported data.
    package enum Signal: String, Sendable {
        case traces, metrics
    }

    /// A function that gets the reason when the collector stops taking a signal, and nil when it resumes.
    package typealias Report = @Sendable (_ signal: Signal, _ failure: String?) -> Void

    private struct State {
        var waiting: [TelemetrySpan] = []
        var statistics = Statistics()
        var isClosing = false
        /// The signals whose last export was not delivered.
        var lost: Set<Signal> = []
        var tasks: [Task<Void, Never>] = []
        var samples: (@Sendable () async -> [MetricSample])?
    }

    /// The maximum number of attempts of a request.
    private static let maximumAttempts = 5

    let configuration: TelemetryConfiguration
    package let clock: WallClock
    package let random: RandomSource
    private let transport: any Handler
    private let report: Report
    /// The program and this process; without the process, the metrics of several nodes would look like one node's.
    private let resource: TelemetryJSON.Resource
    private let start: Date
    private let state = Mutex(State())
    /// A stream with an element when there are spans to send.
    private let wake = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Creates an exporter, which sends after ``run()`` is called.
    package init(
        _ configuration: TelemetryConfiguration, transport: any Handler = Transport.live, clock: WallClock = .system,
        random: RandomSource = .system, report: @escaping Report = { _, _ in }
    ) {
        self.configuration = configuration
        self.report = report
        var attributes = configuration.resource
        let own = [("service.version", packageVersion), ("service.instance.id", Hex.encode(random.bytes(16)))]
        for (key, value) in own where !attributes.contains(where: { $0.key == key }) {
            attributes.append((key: key, value: value))
        }
        resource = attributes
        self.transport = transport.intercepted(by: [TimeoutInterceptor(configuration.timeout, clock: clock)])
        self.clock = clock
        self.random = random
        start = clock.now
    }

    /// The counts of the spans so far.
    var statistics: Statistics { state.withLock { $0.statistics } }

    /// Takes the metrics from a function from now on.
    package func measure(by samples: @escaping @Sendable () async -> [MetricSample]) {
        state.withLock { $0.samples = samples }
    }

    /// Starts the tasks that send.
    package func run() {
        let timer = Task { [self] in
            while await pause(configuration.delay) { wake.continuation.yield() }
        }
        let sender = Task { [self] in
            for await _ in wake.stream { await sendSpans() }
        }
        let reader = Task { [self] in
            while configuration.metrics != nil, await pause(configuration.metricInterval) { await sendMetrics() }
        }
        state.withLock { $0.tasks = [timer, reader, sender] }
    }

    /// Sends the waiting spans and the metrics once, and ends; later spans are dropped.
    ///
    /// Nothing more is sent after the first request that fails, and no more spans after the time limit of one request.
    /// So a collector that does not respond cannot delay the end of the server.
    package func close() async {
        let tasks = state.withLock { state in
            state.isClosing = true
            return state.tasks
        }
        wake.continuation.finish()
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        guard await sendSpans(until: clock.uptime + configuration.timeout), configuration.metrics != nil else { return }
        await sendMetrics()
    }

    /// Queues a span, or counts it as dropped.
    package func record(_ span: TelemetrySpan) {
        guard configuration.traces != nil else { return }
        let isFull = state.withLock { state in
            guard state.waiting.count < configuration.maximumQueue, !state.isClosing else {
                state.statistics.dropped += 1
                return false
            }
            state.waiting.append(span)
            return state.waiting.count >= configuration.maximumBatch
        }
        if isFull { wake.continuation.yield() }
    }

    /// Waits; returns false if the task was canceled.
    private func pause(_ duration: Duration) async -> Bool {
        do {
            try await clock.sleep(for: duration)
            return !Task.isCancelled
        } catch {
            return false
        }
    }

    /// Sends the waiting spans in batches.
    ///
    /// - Parameter deadline: The uptime from which no batch is sent. With a deadline, the first failure ends the
    ///   sending; nil tries all batches.
    /// - Returns: Whether it tried all of them, and with a deadline delivered them.
    @discardableResult
    private func sendSpans(until deadline: Duration? = nil) async -> Bool {
        guard let target = configuration.traces else { return true }
        while !Task.isCancelled {
            let batch = state.withLock { state in
                let batch = Array(state.waiting.prefix(configuration.maximumBatch))
                state.waiting.removeFirst(batch.count)
                return batch
            }
            guard !batch.isEmpty else { return true }
            let isLate = deadline.map { clock.uptime >= $0 } ?? false
            let rejected = isLate ? nil : await send(TelemetryJSON.content(batch, of: resource), .traces, to: target)
            let isInterrupted = rejected == nil && deadline == nil && Task.isCancelled
            let isOver = rejected == nil && deadline != nil
            state.withLock { state in
                // A request that the end of the exporter has interrupted is sent again, before the others.
                guard !isInterrupted else { return state.waiting.insert(contentsOf: batch, at: 0) }
                let failed = min(rejected ?? batch.count, batch.count)
                state.statistics.exported += batch.count - failed
                state.statistics.failed += failed + (isOver ? state.waiting.count : 0)
                if isOver { state.waiting = [] }
            }
            if isOver { return false }
        }
        return false
    }

    /// Sends the current metrics; after a failed export, the next one includes them.
    private func sendMetrics() async {
        guard let target = configuration.metrics, let samples = state.withLock({ $0.samples }) else { return }
        let content = TelemetryJSON.content(await samples(), since: start, at: clock.now, of: resource)
        _ = await send(content, .metrics, to: target)
    }

    /// Sends an export, with the retries of the protocol (OTLP, "OTLP/HTTP Response" and "OTLP/HTTP Throttling").
    ///
    /// - Returns: The number of items that the collector rejected; nil if the export was not delivered.
    private func send(
        _ content: [UInt8], _ signal: Signal, to target: TelemetryConfiguration.Target
    ) async -> Int? {
        let request = HTTPRequest(
            method: .post, scheme: target.origin.scheme, authority: target.origin.authority, path: target.path,
            fields: configuration.fields, body: HTTPBody(content))
        for attempt in 1... {
            let (response, failure): (HTTPResponse?, String)
            do {
                let received = try await transport.respond(to: request)
                (response, failure) = (received, "The collector responded with status \(received.status.rawValue).")
            } catch {
                (response, failure) = (nil, (error as? HTTPError)?.message ?? "\(error)")
            }
            if let response, response.status.isSuccess {
                note(nil, of: signal)
                return TelemetryJSON.rejected(in: response.body.bytes)
            }
            let isFinal = response.map { ![429, 502, 503, 504].contains($0.status.rawValue) } ?? false
            guard !isFinal, attempt < Self.maximumAttempts, !state.withLock({ $0.isClosing }),
                await pause(wait(after: attempt, response))
            else {
                note(failure, of: signal)
                return nil
            }
        }
        return nil
    }

    /// Reports when the collector becomes unreachable, and when it is reachable again.
    private func note(_ failure: String?, of signal: Signal) {
        let isNews = state.withLock { state in
            guard !state.isClosing else { return false }
            return failure == nil ? state.lost.remove(signal) != nil : state.lost.insert(signal).inserted
        }
        if isNews { report(signal, failure) }
    }

    /// Returns the time before the next attempt: the collector's `Retry-After`, or a time that doubles, with jitter.
    private func wait(after attempt: Int, _ response: HTTPResponse?) -> Duration {
        if let seconds = response?.fields[.retryAfter].flatMap({ Int($0) }), (0...60).contains(seconds) {
            return .seconds(seconds)
        }
        return .seconds(min(Double(1 << attempt), 30) * (0.5 + random.unit() / 2))
    }
}

extension TelemetryExporter {
    /// The counters of the exporter itself.
    package var samples: [MetricSample] {
        let statistics = statistics
        return [
            ("exported", statistics.exported), ("dropped", statistics.dropped), ("failed", statistics.failed),
        ].map { result, count in
            MetricSample(.spans, .counter(count), for: result)
        }
    }
}
