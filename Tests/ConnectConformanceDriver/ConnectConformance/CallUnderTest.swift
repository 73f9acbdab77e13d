// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchRPC
import Synchronization

/// One call of the runner on its way, with when it is to be cancelled.
final class CallUnderTest: Sendable {
    private typealias Methods = ConformanceServiceMethods

    private let request: ClientCompatRequest
    private let channel: RPCChannel
    private let outcome = Mutex(ClientResponseResult())
    /// The task that makes the call, once it runs.
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let isCancelled = Mutex(false)

    init(_ request: ClientCompatRequest, _ channel: RPCChannel) {
        self.request = request
        self.channel = channel
    }

    /// Makes the call to its end.
    ///
    /// - Throws: `UnusableRequest` and the like; what the call itself throws is a result.
    func result() async throws -> ClientResponseResult {
        let body = try body()
        let task = Task { [self] in
            do {
                try await body()
            } catch {
                outcome.withLock { $0.error = Error(error) }
                // Fields that came with an error count as trailers, unless the stream itself has them.
                guard let metadata = (error as? RPCError)?.metadata else { return }
                outcome.withLock { if $0.responseTrailers.isEmpty { $0.responseTrailers = metadata.headers } }
            }
        }
        self.task.withLock { $0 = task }
        if isCancelled.withLock({ $0 }) { task.cancel() }
        // The runner takes a client that is silent for longer for broken, and asks it nothing more.
        let limit = Task {
            try await Task.sleep(for: .seconds(12))
            cancel()
        }
        await task.value
        limit.cancel()
        return outcome.withLock { $0 }
    }

    private func body() throws -> @Sendable () async throws -> Void {
        switch request.method {
        case "Unary": try unary(Methods.unary) { $0.payload }
        case "IdempotentUnary": try unary(Methods.idempotentUnary) { $0.payload }
        case "Unimplemented": try unary(Methods.unimplemented) { _ in nil }
        case "ServerStream": try serverStream()
        case "ClientStream": try clientStream()
        case "BidiStream": try bidirectional()
        default: throw UnusableRequest(reason: "there is no method \(request.method ?? "")")
        }
    }

    // MARK: Cancelling

    private var timing: ClientCompatRequest.Cancel.CancelTiming? {
        request.cancel.map { $0.cancelTiming ?? .afterCloseSendMs(0) }
    }

    private func cancel() {
        isCancelled.withLock { $0 = true }
        task.withLock { $0 }?.cancel()
    }

    /// All was sent, and no more will be.
    private func sendingEnded() {
        guard case .afterCloseSendMs(let delay) = timing else { return }
        Task(priority: .high) { [weak self] in
            try await Task.sleep(for: .milliseconds(delay))
            self?.cancel()
        }
    }

    private func received(_ payload: ConformancePayload?) {
        let count = outcome.withLock { outcome in
            outcome.payloads.append(payload ?? ConformancePayload())
            return outcome.payloads.count
        }
        if case .afterNumResponses(let last) = timing, count == last { cancel() }
    }
}

// MARK: Calls

extension CallUnderTest {
    private var options: CallOptions {
        CallOptions(
            metadata: HTTPFields(request.requestHeaders), timeout: request.timeoutMs.map { .milliseconds($0) })
    }

    private func message<Request: Message>(_ type: Request.Type) throws -> Request {
        guard request.requestMessages.count == 1, let message = try request.requestMessages[0].unpack(type) else {
            throw UnusableRequest(reason: "there is not one \(type.name)")
        }
        return message
    }

    private func unary<Request, Answer>(
        _ method: RPCMethod<Request, Answer>, _ payload: @escaping @Sendable (Answer) -> ConformancePayload?
    ) throws -> @Sendable () async throws -> Void {
        let message = try message(Request.self)
        return { [self] in
            sendingEnded()
            let answer = try await channel.unary(method, message, options)
            finish(answer, payload(answer.message))
        }
    }

    private func finish<Answer>(_ answer: RPCResponse<Answer>, _ payload: ConformancePayload?) {
        received(payload)
        outcome.withLock { outcome in
            outcome.responseHeaders = answer.metadata.headers
            outcome.responseTrailers = answer.trailers.headers
        }
    }

    private func serverStream() throws -> @Sendable () async throws -> Void {
        let message = try message(ServerStreamRequest.self)
        return { [self] in
            sendingEnded()
            let answers = try await channel.serverStream(Methods.serverStream, message, options)
            try await read(answers) { $0.payload }
        }
    }

    private func clientStream() throws -> @Sendable () async throws -> Void {
        let messages = try messages(ClientStreamRequest.self)
        return { [self] in
            let answer = try await channel.clientStream(Methods.clientStream, stream(of: messages), options)
            finish(answer, answer.message.payload)
        }
    }

    private func bidirectional() throws -> @Sendable () async throws -> Void {
        let messages = try messages(BidiStreamRequest.self)
        let isFullDuplex = request.streamType == .fullDuplexBidiStream
        return { [self] in
            let turns = AsyncStream.makeStream(of: Void.self)
            let requests = stream(of: messages) { isFullDuplex ? turns.stream : nil }
            let answers = try await channel.bidirectional(Methods.bidiStream, requests, options)
            defer { turns.continuation.finish() }
            try await read(answers) { answer in
                turns.continuation.yield()
                return answer.payload
            }
        }
    }

    private func messages<Request: Message>(_ type: Request.Type) throws -> [Request] {
        try request.requestMessages.map { message in
            guard let message = try message.unpack(type) else {
                throw UnusableRequest(reason: "a message is no \(type.name)")
            }
            return message
        }
    }

    /// The stream of requests; each waits for its delay, and for a turn after the one before where there are turns.
    private func stream<Request: Message>(
        of messages: [Request], turns: @escaping @Sendable () -> AsyncStream<Void>? = { nil }
    ) -> RPCStream<Request> {
        RPCStream { [self] writer in
            var turn = turns()?.makeAsyncIterator()
            for (index, message) in messages.enumerated() {
                if request.requestDelayMs > 0 { try await Task.sleep(for: .milliseconds(request.requestDelayMs)) }
                do {
                    try await writer.send(message)
                } catch {
                    outcome.withLock { $0.numUnsentRequests = Int32(messages.count - index) }
                    throw error
                }
                _ = await turn?.next()
            }
            if case .beforeCloseSend = timing {
                cancel()
                try await Task.sleep(for: .seconds(60))
            }
            sendingEnded()
        }
    }

    private func read<Answer>(
        _ answers: RPCStream<Answer>, _ payload: @Sendable (Answer) -> ConformancePayload?
    ) async throws {
        defer {
            outcome.withLock { outcome in
                outcome.responseHeaders = answers.metadata.headers
                outcome.responseTrailers = answers.trailers.headers
            }
        }
        for try await answer in answers { received(payload(answer)) }
    }
}
