// SPDX-License-Identifier: Apache-2.0

// A file that calls a service also refers to its messages.
@_exported public import LatchProtobuf
