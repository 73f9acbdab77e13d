// SPDX-License-Identifier: Apache-2.0

extension RPCError {
    /// The caller gave up.
    public static let canceled = RPCError(.canceled, "The call was cancelled.")
    /// Something that fits no other word.
    public static let unknown = RPCError(.unknown)
    /// The request is wrong.
    public static let invalidArgument = RPCError(.invalidArgument)
    /// The time allowed has passed.
    public static let deadlineExceeded = RPCError(.deadlineExceeded, "There was no answer in time.")
    /// What was asked for does not exist.
    public static let notFound = RPCError(.notFound)
    /// What was to be made exists.
    public static let alreadyExists = RPCError(.alreadyExists)
    /// The caller may not do that.
    public static let permissionDenied = RPCError(.permissionDenied)
    /// A quota or a limit is reached.
    public static let resourceExhausted = RPCError(.resourceExhausted)
    /// The system is not in the state that the call needs.
    public static let failedPrecondition = RPCError(.failedPrecondition)
    /// The call lost against another one.
    public static let aborted = RPCError(.aborted)
    /// Past the end of what there is.
    public static let outOfRange = RPCError(.outOfRange)
    /// The server does not do that.
    public static let unimplemented = RPCError(.unimplemented)
    /// Something that should never break is broken.
    public static let `internal` = RPCError(.internal)
    /// The service cannot be reached now.
    public static let unavailable = RPCError(.unavailable)
    /// Data is lost or damaged for good.
    public static let dataLoss = RPCError(.dataLoss)
    /// The caller is not known.
    public static let unauthenticated = RPCError(.unauthenticated)
}
