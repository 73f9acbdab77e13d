// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

extension RPCChannel {
    /// Sends one message and awaits one.
    ///
    /// - Throws: `RPCError` for what the server and the network do; what interceptors throw for reasons of their own,
    ///   such as a session that has ended, as it is.
    public func unary<Request, Answer>(
        _ method: RPCMethod<Request, Answer>, _ request: Request, _ options: CallOptions = CallOptions()
    ) async throws -> RPCResponse<Answer> {
        let content = CallContent.one(try coding.encode(request))
        return try read(try await single(WireCall(method, options, terms), content))
    }

    /// Sends one message; the answer's messages are read as they come.
    ///
    /// - Throws: As `unary` does, here or while the stream is read.
    public func serverStream<Request, Answer>(
        _ method: RPCMethod<Request, Answer>, _ request: Request, _ options: CallOptions = CallOptions()
    ) async throws -> RPCStream<Answer> {
        let content = CallContent.one(try coding.encode(request))
        return read(try await stream(WireCall(method, options, terms), content))
    }

    /// Sends messages as they come and awaits one when all are sent.
    ///
    /// - Throws: As `unary` does, and what the stream throws.
    public func clientStream<Request, Answer>(
        _ method: RPCMethod<Request, Answer>, _ requests: RPCStream<Request>, _ options: CallOptions = CallOptions()
    ) async throws -> RPCResponse<Answer> {
        try read(try await single(WireCall(method, options, terms), try content(of: requests)))
    }

    /// Sends messages as they come, and reads the answer's as they come; the stream is there at once.
    ///
    /// Over HTTP/2 both happen at a time. Over HTTP/1.1 most servers answer when they have all, as ours does: there,
    /// write first and read then.
    ///
    /// - Throws: While the stream is read: what `unary` throws, and what the stream of requests throws.
    public func bidirectional<Request, Answer>(
        _ method: RPCMethod<Request, Answer>, _ requests: RPCStream<Request>, _ options: CallOptions = CallOptions()
    ) async throws -> RPCStream<Answer> {
        read(started(WireCall(method, options, terms), try content(of: requests)))
    }

    private func content<Request>(of requests: RPCStream<Request>) throws -> CallContent {
        let coding = coding
        if let ready = try ready(requests) { return .few(ready) }
        return .many(isReplayable: requests.isReplayable) {
            let source = try await requests.begin()
            return { try await source().map { try coding.encode($0) } }
        }
    }

    /// The messages of a stream that are there already, unless they are large: those are better made while they are sent.
    private func ready<Request>(_ requests: RPCStream<Request>) throws -> [[UInt8]]? {
        guard let messages = requests.ready, messages.count <= 64 else { return nil }
        var (ready, count) = ([[UInt8]](), 0)
        for message in messages {
            let bytes = try coding.encode(message)
            count += bytes.count
            guard count <= 32 << 10 else { return nil }
            ready.append(bytes)
        }
        return ready
    }

    private func read<Answer: Message>(_ answer: WireAnswer) throws -> RPCResponse<Answer> {
        RPCResponse(
            try coding.decode(answer.message, as: Answer.self, orFail: .internal), metadata: answer.metadata,
            trailers: answer.trailers)
    }

    private func read<Answer: Message>(_ answer: WireStream) -> RPCStream<Answer> {
        let coding = coding
        return RPCStream(
            { try await answer.next().map { try coding.decode($0, as: Answer.self, orFail: .internal) } },
            fields: answer.fields)
    }
}
