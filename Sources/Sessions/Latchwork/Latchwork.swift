// SPDX-License-Identifier: Apache-2.0

@_exported public import LatchAccounts
@_exported public import LatchAuth
@_exported public import LatchCore
@_exported public import LatchHTTP
@_exported public import LatchJOSE
@_exported public import LatchOAuth
