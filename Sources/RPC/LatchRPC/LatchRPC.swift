// SPDX-License-Identifier: Apache-2.0

// A file that calls a service also names its messages.
@_exported public import LatchProtobuf
