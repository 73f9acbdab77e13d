// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization

extension HTTPRequest {
    /// A request to the host of most tests.
    static func example(
        _ method: HTTPMethod = .get, _ path: String = "/", fields: HTTPFields = [:], body: HTTPBody = .empty
    ) -> HTTPRequest {
        HTTPRequest(method: method, authority: "api.example.com", path: path, fields: fields, body: body)
    }

    /// This request as a credential leaves it.
    func authorized(by credential: any Credential) async throws -> HTTPRequest {
        var request = self
        try await credential.authorize(&request)
        return request
    }
}

extension WallClock {
    /// A clock that stands still.
    static func standing(at seconds: TimeInterval) -> WallClock {
        WallClock(now: { Date(timeIntervalSince1970: seconds) }, sleep: { _ in })
    }

    /// A clock that goes on by a second each time it is read.
    static func ticking(from seconds: TimeInterval) -> WallClock {
        let next = Mutex(seconds)
        return WallClock(
            now: {
                next.withLock { next in
                    defer { next += 1 }
                    return Date(timeIntervalSince1970: next)
                }
            }, sleep: { _ in })
    }
}

extension HTTPBodyStream {
    /// A replayable stream of the given pieces.
    static func pieces(_ pieces: [String]) -> HTTPBodyStream {
        HTTPBodyStream {
            let rest = Mutex(pieces[...])
            return { rest.withLock { $0.popFirst().map { Array($0.utf8) } } }
        }
    }

    /// One piece that can be read once.
    static func once(_ text: String) -> HTTPBodyStream {
        let rest = Mutex<[UInt8]?>(Array(text.utf8))
        return HTTPBodyStream(once: { rest.withLock { $0.take() } })
    }
}

/// Everything that printing, reflecting and dumping shows of a value.
func dumped(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text + String(describing: value) + String(reflecting: value) + "\(value)"
}
