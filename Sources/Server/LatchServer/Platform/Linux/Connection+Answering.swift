// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import LatchHTTP

extension Connection {
    /// Asks the handler, on this thread as far as it does not wait.
    func answer(_ head: RequestHead, content: HTTPBody) {
        phase = .answering
        deadline = .max
        exchange += 1
        let exchange = exchange
        let isHead = head.method == .head
        closesAfterwards = !head.keepsAlive
        takesChunks = head.takesChunks
        var request = HTTPRequest(
            method: head.method, scheme: loop.terms.scheme, authority: head.authority, path: head.path,
            fields: head.fields, body: content)
        request.context = context
        let handler = loop.terms.handler
        loop.runningTasks += 1
        let task = Task.immediate(executorPreference: loop) { [self, request] in
            let response: HTTPResponse
            do { response = try await handler.respond(to: request) } catch { response = Self.response(to: error) }
            finish(exchange, response, isHead: isHead)
        }
        // The answer may be there already.
        guard phase == .answering, self.exchange == exchange else { return }
        self.task = task
        if hasPeerEnded { cancelIfAbandoned() }
    }

    /// What a handler throws stays in the server, but for its own word about the client's mistake.
    private static func response(to error: any Error) -> HTTPResponse {
        (error as? ServerError).map { .problem($0) } ?? .problem(status: .internalServerError)
    }

    /// The answer is there: writes it, unless the connection has closed meanwhile.
    ///
    /// May be called on any thread. An answer to another `exchange` than the one that is awaited is dropped.
    private func finish(_ exchange: Int, _ response: HTTPResponse, isHead: Bool) {
        // With a task executor a task comes back to it by itself; another actor's executor could be in between.
        guard loop.isCurrent else {
            return loop.submit { [self] in finish(exchange, response, isHead: isHead) }
        }
        loop.runningTasks -= 1
        guard phase == .answering, self.exchange == exchange else { return }
        task = nil
        holdContent(0)
        let isSendable = (200...999).contains(response.status.rawValue)
        write(isSendable ? response : .problem(status: .internalServerError), isHead: isHead)
        advance()
    }

    /// Cancels the handler's task when the client has gone away; one that only ended its own side has unread requests.
    func cancelIfAbandoned() {
        guard inputStart == input.count, stream.isEncrypted || stream.isAtEnd else { return }
        task?.cancel()
    }
}

#endif
