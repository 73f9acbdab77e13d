// SPDX-License-Identifier: Apache-2.0

import CBareCurl
import Foundation
import FoundationNetworking
import LatchHTTP

/// Foundation's URLSession, asked for the same as the client under test.
final class SystemClient: Sendable {
    private let session: URLSession
    private let request: URLRequest

    init(url: URL, authorization: String) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = BenchHTTP.width
        session = URLSession(configuration: configuration)
        var request = URLRequest(url: url)
        request.setValue(authorization, forHTTPHeaderField: "Authorization")
        self.request = request
    }

    deinit { session.invalidateAndCancel() }

    /// One request after the other; how many were answered with 200.
    func sequential(_ count: Int) async throws -> Int {
        var good = 0
        for _ in 0..<count {
            let (content, response) = try await session.data(for: request)
            if (response as? HTTPURLResponse)?.statusCode == 200, !content.isEmpty { good += 1 }
        }
        return good
    }

    /// The same from 64 tasks.
    func concurrent(_ count: Int) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<BenchHTTP.width { group.addTask { try await self.sequential(count / BenchHTTP.width) } }
            return try await group.reduce(0, +)
        }
    }
}
