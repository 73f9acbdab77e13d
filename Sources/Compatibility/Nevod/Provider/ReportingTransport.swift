// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import Synchronization

/// A transport of the core that reports to the delegate of a request how much of its content was read.
///
/// It comes after all steps that sign a request, because counted content is a stream.
struct ReportingTransport: Handler {
    let transport: any Handler

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard let delegate = request.taskDelegate, !request.body.isEmpty,
            let url = URL(encodingOnce: request.absoluteURL)
        else { return try await transport.respond(to: request) }
        var request = request
        // The core has no session tasks. The task for the delegate only describes the request, and is never resumed.
        let task = URLSession.shared.dataTask(with: url)
        defer { task.cancel() }
        let reported = Mutex(0)
        request.body = request.body.reporting { count, total in
            let before = reported.withLock { reported in
                defer { reported = count }
                // If the content is sent again, the count begins at 0.
                return reported < count ? reported : 0
            }
            delegate.report(
                Int64(count - before), sent: Int64(count), of: total.map(Int64.init) ?? NSURLSessionTransferSizeUnknown,
                by: task)
        }
        return try await transport.respond(to: request)
    }
}
