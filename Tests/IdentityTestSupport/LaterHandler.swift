// SPDX-License-Identifier: Apache-2.0

package import LatchHTTP
import Synchronization

/// A handler that is known only after its server has a port.
package final class LaterHandler: Handler {
    private let handler = Mutex<(any Handler)?>(nil)

    package init() {}

    package func set(_ known: any Handler) { handler.withLock { $0 = known } }

    package func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard let handler = handler.withLock({ $0 }) else { return HTTPResponse(status: .serviceUnavailable) }
        return try await handler.respond(to: request)
    }
}
