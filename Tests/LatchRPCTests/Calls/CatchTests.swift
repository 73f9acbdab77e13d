// SPDX-License-Identifier: Apache-2.0

// No other import of this package: a file that makes calls needs none to catch their errors.
import LatchRPC
import Testing

@Suite struct CatchTests {
    @Test func `A catch of an RPC error compares the code and ignores the context`() throws {
        do {
            throw RPCError(.notFound, "There is no user 7.")
        } catch RPCError.permissionDenied {
            Issue.record("another code")
        } catch RPCError.notFound {
            return
        }
    }
}
