// SPDX-License-Identifier: Apache-2.0

import ConnectConformance
import Foundation
import LatchServer

/// The server that Connect's conformance runner tests; it serves until it is ended.
///
///     connectconformance --mode server --conf CONFIGURATION .build/debug/connect-conformance-server
@main struct ConnectConformanceServer {
    static func main() async throws {
        guard let request = try DelimitedMessages.next(ServerCompatRequest.self, from: .standardInput) else { return }
        let (server, answer) = try await ConformanceServer.start(request)
        try DelimitedOutput(.standardOutput).write(answer)
        while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
        await server.shutdown(grace: .zero)
    }
}
