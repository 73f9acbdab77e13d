// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchHTTP

/// Blocks the loop of a server that gets a request for /block, until it is told to go on.
struct LoopBlocker {
    private let gate = DispatchSemaphore(value: 0)
    private let begun = AsyncStream.makeStream(of: Void.self)

    /// The handler of the server, which responds to any other request immediately.
    var handler: some Handler {
        ImmediateClosureHandler { [gate, begun] request in
            if request.path == "/block" {
                begun.continuation.yield()
                gate.wait()
            }
            return HTTPResponse(status: .ok)
        }
    }

    /// Waits for the request.
    func waitUntilBlocked() async {
        for await _ in begun.stream { break }
    }

    /// Lets the loop go on.
    func release() { gate.signal() }
}
