// SPDX-License-Identifier: Apache-2.0
import AxiomArchitecture

let channel: RPCChannel = placeholder()
