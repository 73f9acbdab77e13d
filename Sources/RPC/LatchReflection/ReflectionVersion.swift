// SPDX-License-Identifier: Apache-2.0

import LatchRPC

/// The two names under which reflection is served; the messages are the same.
enum ReflectionVersion: String, CaseIterable {
    case v1 = "grpc.reflection.v1.ServerReflection"
    /// What was there before, and all that some servers have.
    case v1alpha = "grpc.reflection.v1alpha.ServerReflection"

    /// The one method.
    var method: RPCMethod<ServerReflectionRequest, ServerReflectionResponse> {
        RPCMethod(rawValue, "ServerReflectionInfo", kind: .bidirectional)
    }
}
