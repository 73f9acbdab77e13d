// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// Passes requests to a handler that can be exchanged while others are being answered.
final class CurrentHandler: Handler {
    private let handler: Mutex<any Handler>

    init(_ handler: any Handler) { self.handler = Mutex(handler) }

    /// Makes `next` answer every request from now on.
    ///
    /// From any thread; it waits for no request, and requests that have begun keep the former handler alive.
    func exchange(for next: any Handler) { handler.withLock { $0 = next } }

    /// Takes the current handler first: a request ends under the settings under which it began.
    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let current = handler.withLock { $0 }
        return try await current.respond(to: request)
    }
}
