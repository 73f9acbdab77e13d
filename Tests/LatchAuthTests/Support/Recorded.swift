// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// A handler that keeps what it is asked and answers with success.
final class Recorded: Handler {
    private let list = Mutex<[HTTPRequest]>([])

    var requests: [HTTPRequest] { list.withLock { $0 } }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        list.withLock { $0.append(request) }
        return HTTPResponse(status: .ok)
    }
}
