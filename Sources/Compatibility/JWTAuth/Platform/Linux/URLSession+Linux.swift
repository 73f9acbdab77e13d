// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
public import FoundationNetworking
import LatchFoundationBridge

extension URLSession: URLSessionProtocol {
    /// The content and the head of the response to one task, which is canceled with the Swift task.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) { try await exchange(request) }
}
#endif
