# SPDX-License-Identifier: GPL-2.0-or-later
"""Replies about partitions and IPUs: messages made from records."""
import interface
from controller import CLUSTER, errors_of
from pool import DOMAIN, MACHINE

VERSION = "1.18.0"
IPUOF_VERSION = "1.11.0"
SERVER_PORT = 50051  # one for each IPU of a machine, from here on


def _routing(partition):
    """As on real pods, where a whole rack is a ring."""
    return interface.number("IpuLinkRoutingType", "IRT_RINGSWNC" if partition["size"] >= DOMAIN else "IRT_DNC")


def _gateway(partition):
    return interface.number("GatewayRoutingType", "GRT_RING" if partition["segments"] > 1 else "GRT_UNDEFINED")


def _sync():
    return interface.number("SyncType", "ST_POD_NATIVE_DEFAULT")


def status(partition_id, partition):
    reply = interface.message("GetPartitionStatusReply")()
    reply.status.partition_id = partition_id
    reply.status.ready_state = interface.number("PartitionReadyState", "PS_" + partition["ready"])
    reply.status.operation_state = interface.number("PartitionOperationState", "POS_" + partition["operation"])
    reply.status.errors.extend(errors_of(partition))
    reply.status.max_auto_reset_retries = 5 if partition["auto_reset"] else 0
    return reply


def listing(partitions, allocation):
    reply = interface.message("ListPartitionsReply")()
    for partition_id, partition in partitions.items():
        if allocation and partition["allocation"] != allocation:
            continue
        entry = reply.partitions.add(id=partition_id, ipuof_server_version=IPUOF_VERSION)
        entry.ready_state = interface.number("PartitionReadyState", "PS_" + partition["ready"])
        _fill_spec(entry.spec, partition)
    return reply


def _fill_spec(spec, partition):
    spec.cluster_id = CLUSTER
    spec.ipulink_routing_type = _routing(partition)
    spec.gw_routing_type = _gateway(partition)
    spec.sync_type = _sync()
    spec.num_gcds = partition["gcds"]
    spec.num_ipulink_segments = partition["segments"]
    spec.reconfigurable = partition["reconfigurable"]
    spec.num_replicas = partition["replicas"]
    spec.allocation_id = partition["allocation"]
    for index in range(partition["size"]):
        ipu = partition["first"] + index
        spec.ipus.add(
            ipulink_domain_topology_id=ipu // DOMAIN,
            ipulink_domain_routing_id=index // DOMAIN,
            topology_id=ipu % DOMAIN,
            routing_id=index % DOMAIN,
        )


def ipuof_config(partition, gcd):
    """gcd: the number of a GCD, or None for all."""
    reply = interface.message("GetPartitionIpuofConfigReply")()
    config = reply.ipuof_config
    config.ipulink_routing_type = _routing(partition)
    config.gw_routing_type = _gateway(partition)
    config.sync_type = _sync()
    config.reconfigurable = partition["reconfigurable"]
    config.num_ipulink_segments = partition["segments"]
    config.ipuof_server_version = IPUOF_VERSION
    for number in range(partition["gcds"]) if gcd is None else (gcd,):
        _fill_gcd(config.gcd_configs.add(), partition, number)
    return reply


def _fill_gcd(entry, partition, number):
    entry.attributes["GCD Id"] = str(number)
    entry.attributes["Fabric Reconfigurable"] = str(partition["reconfigurable"]).lower()
    share = partition["size"] // partition["gcds"]
    for index in range(number * share, (number + 1) * share):
        ipu = partition["first"] + index
        entry.devices.add(
            ip=address_of(ipu),
            server_port=SERVER_PORT + ipu % MACHINE,
            rdma_port=SERVER_PORT + 10 + ipu % MACHINE,
            device_id=ipu % MACHINE,
            ipulink_segment_id=index // DOMAIN,
            routing_id=index % DOMAIN,
            ipu_arch_id=2,
            ipu_id=ipu % MACHINE,
            chip_id=f"0123.0002.{ipu:04d}",
            gwsw_version="2.6.0",
            ipum_sw_version="2.6.0",
        )


def address_of(ipu):
    """Return an unused address, of TEST-NET-1."""
    return f"192.0.2.{ipu // MACHINE + 1}"


def agent_of(ipu):
    return f"ag{ipu // MACHINE + 1:02d}"


def attributes(total, agents):
    reply = interface.message("ListIPUAttributesReply")()
    for machine in range(0, total, MACHINE):
        if agents and agent_of(machine) not in agents:
            continue
        entry = reply.entries.add(agent=agent_of(machine))
        for ipu in range(MACHINE):
            entry.ipu_attributes[ipu].attributes.update(
                {
                    "average board temp": f"{30 + ipu}.5 C",
                    "average die temp": f"{40 + ipu}.0 C",
                    "clock": "1850MHz",
                    "ipu power": "110.0 W",
                    "ipu utilisation": "0.00%",
                }
            )
    return reply
