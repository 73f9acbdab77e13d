// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

extension Session {
    /// Takes over what an answer made of the credential, stored before anybody sees it.
    ///
    /// It is no sign-in: the generation stays, and a renewal that is under way replaces the result.
    ///
    /// - Parameter lease: What the answered message carried.
    /// - Returns: The credential that is current now; nil where the answer belongs to an earlier one.
    func rotate(_ lease: Lease<Value>, by response: HTTPResponse, to request: HTTPRequest) async -> Value? {
        await enterStore()
        defer { leaveStore() }
        guard lease.generation == generation, let current = state.credential,
            let rotated = current.rotated(by: response, to: request, sentWith: lease.credential)
        else { return nil }
        do {
            try await store.save(rotated)
        } catch {
            // The server has exchanged it, stored or not, and nobody asked for a store here: the predecessor would be
            // refused. The next exchange or renewal stores again, and a renewal tells what fails.
        }
        guard lease.generation == generation else { return nil }
        adopt(rotated)
        return rotated
    }
}
