// SPDX-License-Identifier: Apache-2.0

@_exported public import LatchIdentityAccounts
@_exported public import LatchIdentityPages
@_exported public import LatchIdentityProvider
@_exported public import LatchIdentityStorage
